// Puts what was sold today beside yesterday and beside the same weekday of last week, each up to the time of day that it
// is now: a whole day beside half of one says nothing.

import {get} from "./api.js";
import {shares} from "./chart.js";
import {now} from "./clock.js";
import {dayAfter, hourMinute, money, number, sameTimeOn, today, weekday} from "./format.js";
import {salesOf} from "./list_behind.js";
import {cardWith, toList} from "./parts.js";
import {t} from "./words.js";

const daysBack = [1, 7];

export async function earlierDays(options) {
  const at = now();
  const read = (back) => {
    const day = dayAfter(today(), -back);
    return get("/v1/totals", {day, begunBefore: sameTimeOn(day, at)}, options);
  };
  return {at, days: await Promise.all(daysBack.map(read))};
}

// `totals` are those of today.
export function comparison({total, from}, {at, days}) {
  const names = [t("today.today"), t("today.yesterday"), ...days.slice(1).map((one) => weekday(one.from))];
  const all = [{from, total}, ...days];
  const item = ({from: of, total: {sold}}, index) => ({
    label: toList(sold.count > 0 && salesOf("sold", of), names[index]),
    value: sold.valor ?? 0,
    text: money(sold.valor),
    aside: t("sales.count", {count: sold.count, number: number(sold.count)}),
    isMain: index === 0,
  });
  return cardWith(
    t("today.beside"),
    t("today.until", {time: hourMinute(at)}),
    shares({items: all.map(item)}),
  );
}
