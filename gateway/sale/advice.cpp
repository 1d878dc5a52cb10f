#include "sale/advice.hpp"

#include <fmt/format.h>

#include <array>

namespace gateway {
namespace {

struct OfMark {
    Attention mark;
    Advice advice;
};

constexpr std::array advices{
    OfMark{Attention::none, {.known = "The sale needs no person.", .not_known = "Nothing.", .to_do = "Nothing."}},
    OfMark{Attention::unsettled,
           {.known = "For a long time the provider has not answered the latest confirm or cancel of this sale in a "
                     "way that says how its transaction stands; times in which the gateway was off or could not reach "
                     "it count too. The gateway goes on asking. A final status stays as it is: what is open then is "
                     "an attempt that was cancelled, or is to be cancelled once more because its request may have "
                     "arrived late.",
            .not_known = "Whether the provider counts the transaction as sold, as cancelled, or as neither.",
            .to_do = "Look up every idExterno of the sale at the provider. Resolve a sale that is pending with "
                     "what the provider says; of one that is final, have the provider cancel what it still "
                     "holds AUTORIZADA, then clear the mark."}},
    OfMark{Attention::no_callback,
           {.known = "The eSIM was asked for, and no callback has come since.",
            .not_known = "Whether it was sold.",
            .to_do = "Look up the idExterno at the provider and resolve the sale with what it says: of one that was "
                     "sold with its number (--msisdn) and activation address (--url), for the receipt. A callback "
                     "that still comes decides it too."}},
    OfMark{Attention::no_cancel_path,
           {.known = "The sale is not sold and never will be. The provider documents no cancel for this family, "
                     "so none was sent.",
            .not_known = "Whether the provider keeps the transaction AUTORIZADA.",
            .to_do = "Ask the provider to cancel the idExterno, then clear the mark."}},
    OfMark{Attention::contradiction,
           {.known = "The provider said something else after the sale was final. The status stays as it is: a "
                     "final one never changes.",
            .not_known = "Which of the provider's words is true.",
            .to_do = "Compare the idExterno with the provider's books and with what the customer was given, "
                     "settle the difference, then clear the mark."}},
    OfMark{Attention::undeliverable,
           {.known = "The sale is sold.",
            .not_known = "What the customer is to be given: it never came.",
            .to_do = "Ask the provider for the goods of this idTransacao, give them to the customer, then clear "
                     "the mark."}},
    OfMark{Attention::recharge_failed,
           {.known = "The eSIM is sold, and the provider says that the recharge after it failed.",
            .not_known = "Whether the customer has got the recharge in another way since.",
            .to_do = "Arrange the recharge with the provider, then clear the mark."}},
    OfMark{Attention::unreadable,
           {.known = "A gateway met a value of this sale in the journal that could not be read: it was damaged or "
                     "altered. Where the sale is answered, it is read again, or goes on without the value, and its "
                     "status is as it says; where it is answered 503 sale_unreadable, it still cannot be read: "
                     "nothing of it can be told, nothing is done for it, and its key sells nothing else.",
            .not_known = "What the value was: fields or goods may be missing, or how the sale stands.",
            .to_do =
                "Compare with a backup and with the provider, and find out what wrote into the journal. Of a sale that "
                "is answered, look whether it is right, and clear the mark once it is final. Of one that is not, stop "
                "the gateway, put its row right or restore the newest backup, and start the gateway: it goes on with "
                "the sale, and you clear the mark. "
                "A close that was made meanwhile and names it as open leaves its sum to a later one, once it is final: "
                "add nothing. If the close of its day counts it among those that could not be read instead, no close "
                "has its sum: add it by hand."}},
    OfMark{Attention::restored,
           {.known = "The journal was restored from a copy in which this sale was open. The gateway asks the "
                     "provider what became of the attempts that the copy knows; of an eSIM it can only where "
                     "provider.status_path is set.",
            .not_known = "What the gateway did after the copy was made, and what the terminal was told.",
            .to_do =
                "Look in the provider's books for this idExterno and for later attempts of this sale (same "
                "amount and establishment, a little later), and at what the customer was given. Resolve the sale with "
                "what you found where it is still pending (of an eSIM that was sold with its number, --msisdn, and "
                "activation address, --url); else clear the mark."}},
};

// The table is in the order of the marks, so that every mark has its advice.
consteval bool in_order() {
    for (std::size_t i = 0; i < advices.size(); ++i)
        if (advices.at(i).mark != all_attentions.at(i)) return false;
    return advices.size() == all_attentions.size();
}
static_assert(in_order());

constexpr Advice of_damage_that_is_told{
    .known =
        "A gateway met a value of this sale in the journal that could not be read: it was damaged or altered. The "
        "sale is told and carried on all the same, as it stands here: the value is whole again, or the sale does "
        "without it.",
    .not_known = "What the value was: fields or goods may be missing.",
    .to_do =
        "Look whether the sale is right: compare with a backup and with the provider, and find out what wrote "
        "into the journal. Then clear the mark. A close that was made while the sale could not be read and names it "
        "as open leaves its sum to a later one, once it is final: add nothing. If the close of its day counts it among "
        "those that could not be read instead, no close has its sum: add it by hand."};

}  // namespace

Advice advice(Attention attention) noexcept {
    return advices[static_cast<std::size_t>(attention)].advice;
}

Advice advice_where_told(Attention attention) noexcept {
    return attention == Attention::unreadable ? of_damage_that_is_told : advice(attention);
}

std::string in_words(const Advice& advice) {
    return fmt::format("Known: {} Not known: {} To do: {}", advice.known, advice.not_known, advice.to_do);
}

}  // namespace gateway
