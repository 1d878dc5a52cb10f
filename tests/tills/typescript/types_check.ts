// This compiles only if the client's own types and those of the gateway's document agree; it is never run.
//
// What the gateway answers must be what the client reads, so one way is enough there: the client reads less than there
// is. Orders are compared both ways, and by their fields too: a field that only one side has is found.

import type { components } from "./terminals.js";
import type { Address, Customer, Family, Menu, Options, Order, Outcome, Problem, Sale } from "./sales_gateway.js";

type Document = components["schemas"];
// The client leaves it to the gateway to know the states of Brazil.
type AnyState<T> = T extends object ? { [Field in keyof T]: Field extends "uf" ? string : AnyState<T[Field]> } : T;
type Sell = AnyState<Document["Sell"]>;

type Is<Given extends Wanted, Wanted> = Given;
type None<Given extends never> = Given;

// These are every field of every kind of a thing, and those that only one of two things has.
type Fields<T> = T extends unknown ? keyof T : never;
type Odd<A, B> = Exclude<Fields<A>, Fields<B>> | Exclude<Fields<B>, Fields<A>>;

export type Answers = [
    Is<Document["Sale"], Sale>,
    Is<Document["Problem"], Problem>,
    Is<Document["Options"], Options>,
    Is<Document["Menu"], Menu>,
    Is<Document["Outcome"], Outcome>, Is<Outcome, Document["Outcome"]>,
    Is<Document["Family"], Family>, Is<Family, Document["Family"]>,
];

export type Orders = [
    Is<Order, Sell>, Is<Sell, Order>,
    None<{ [F in Family]: Odd<Extract<Order, { family: F }>, Extract<Sell, { family: F }>> }[Family]>,
    None<Odd<Customer, Document["Consumidor"]>>,
    None<Odd<Address, Document["Endereco"]>>,
];
