// Finds the one sentence of the provider's refusal or error that a person may be shown. The interface document gives no
// error bodies of sales operations ("not shown"), so the sentence is looked for where services usually have it. Because
// it may quote the customer, everything is taken out that is known of the customer, or that may be theirs or may be
// goods.
//
// The documented answers name this of their sale. answer.cpp tells by it whether an answer is about the attempt:
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

// It is a sentence and not a page: a till shows it, or a cashier reads it out.
constexpr std::size_t max_sentence_length = 200;

// Returns the sentence in the body of an error: the text of a member such as "mensagem", or the body itself if it is a
// short plain text. The sentence is on one line, without control characters, and is cut to max_sentence_length
// characters. It is empty if there is none. "…" replaces every word and number of the texts in `personal`, however it
// is written, every other number of six digits or more, every address, and everything that looks like a code. If
// anything was replaced, every word is replaced that is not one of the usual words of a refusal, because the sentence
// may name the owner.
std::string provider_sentence(std::string_view body, const std::vector<std::string>& personal);

// Returns the sentence in what the provider answered about the sale.
std::string provider_sentence(const Sale& sale, const Reply& reply);

// Returns the provider's sentence about a sale that it refused, or an empty text if it gave none.
std::string refusal_sentence(const Sale& sale);

// Returns, for the log, the provider's sentence in a reply that refuses or fails a step of the sale. It is empty if the
// provider gave none, and for a 401, whose reason has the sentence. `answer` is what the reply means.
std::string provider_said(const Sale& sale, const Answer& answer, const Reply& reply);

}  // namespace gateway
