import type { Predicate } from "./types.js";

const OPERATORS: Record<string, string> = {
  eq: "is",
  one_of: "is one of",
  contains_normalized: "contains",
  overlaps: "overlaps",
  contained_within: "lies within",
  is_missing: "is not recorded",
};

/** A predicate in words, with brackets where they are needed. */
export function describe(predicate: Predicate, nested = false): string {
  if ("field" in predicate) return leaf(predicate);
  if ("not" in predicate) return `not (${describe(predicate.not)})`;
  const [children, joint] = "all" in predicate ? [predicate.all, " and "] : [predicate.any, " or "];
  const text = children.map((child) => describe(child, children.length > 1)).join(joint);
  return nested && children.length > 1 ? `(${text})` : text;
}

function leaf({ field, op, value }: { field: string; op: string; value?: unknown }): string {
  const subject = field.replaceAll("_", " ");
  const words = `${subject} ${OPERATORS[op] ?? op}`;
  return value === undefined ? words : `${words} ${describeValue(value)}`;
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(describeValue).join(", ");
  if (typeof value === "string") return `“${value}”`;
  if (typeof value === "object" && value !== null && "begin" in value && "end" in value) {
    return `${year(value.begin)} to ${year(value.end)}`;
  }
  return String(value);
}

/** The museum counts −500 as 500 B.C. */
function year(value: unknown): string {
  return typeof value === "number" && value < 0 ? `${-value} B.C.` : String(value);
}
