// The one sentence that a person may be shown of what the provider said in a refusal or an error. The interface
// document gives no error bodies of sales operations ("not shown"), so it is looked for where services usually have it;
// and because it may quote the customer, what is known of them, and whatever may be theirs or may be goods, is taken
// out.
//
// What the documented answers name of their sale, by which answer.cpp tells whether they are about the attempt:
//
//   solicitar   TV, e-gift, transit, health   idExterno, idTransacao and valor
//               eSIM                          idTransacao and valor; the example lacks idExterno
//   confirmar   TV, transit, health, e-gift   idTransacao; lacks idExterno and valor
//   cancelar    TV, transit, e-gift           the status alone; lacks idExterno, idTransacao and valor
//               health                        "not shown"; the example's EFETIVADA is the answer to a confirm
//   eSIM has neither of the two. Its callback has a uuid, and lacks idExterno, idTransacao and valor.
#pragma once

#include "base/reply.hpp"
#include "sale/answer.hpp"
#include "sale/sale.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// A sentence, not a page: a till shows it, or a cashier reads it out.
constexpr std::size_t max_sentence_length = 200;

// The sentence in the body of an error: the text of a member such as "mensagem", or the body itself where it is a short
// plain text. On one line, without control characters, cut to max_sentence_length characters; empty where there is
// none. What is a word or a number of the texts in `personal`, however it is written, every other number of six digits
// or more, every address and what reads like a code is replaced by "…"; and where one of these was, every word that is
// not of the usual words of a refusal, for the sentence may name the owner.
std::string provider_sentence(std::string_view body, const std::vector<std::string>& personal);

// The sentence in what the provider answered about the sale.
std::string provider_sentence(const Sale& sale, const Reply& reply);

// The provider's sentence about a sale that it refused; empty where it gave none.
std::string refusal_sentence(const Sale& sale);

// For the log: its sentence in a reply that refuses a step of the sale, or fails it; empty where it gave none, and of a
// 401, whose reason has it. `answer` is what the reply means.
std::string provider_said(const Sale& sale, const Answer& answer, const Reply& reply);

}  // namespace gateway
