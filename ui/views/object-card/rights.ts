import { h } from "../shared/dom.js";
import type { CollectionObject, RightsEvidence } from "./types.js";

/** Says what may be done with the object and who says so. */
export function rights({ isPublicDomain, rightsAndReproduction, rightsEvidence, qualityFlags }: CollectionObject) {
  const [label, tone] = verdict(isPublicDomain, qualityFlags);
  return h(
    "section",
    { class: "rights" },
    h("div", { class: "row" }, h("h3", {}, "Rights"), h("span", { class: `badge ${tone}` }, label)),
    rightsAndReproduction && h("p", {}, rightsAndReproduction),
    h("ul", { class: "small muted" }, ...rightsEvidence.map((evidence) => h("li", {}, ...statement(evidence)))),
  );
}

function verdict(isPublicDomain: boolean | null, flags: string[]): [label: string, tone: string] {
  if (flags.includes("api_conflict_rights")) return ["Sources disagree", "warning"];
  if (isPublicDomain === null) return ["Unknown", "warning"];
  return isPublicDomain ? ["Public domain", "success"] : ["Not public domain", ""];
}

function statement({ source, isPublicDomain, rightsAndReproduction, evidenceId, retrievedAt }: RightsEvidence) {
  const says = { true: "public domain", false: "not public domain", null: "nothing" }[`${isPublicDomain}`];
  const when = retrievedAt ? ` on ${retrievedAt.slice(0, 10)}` : "";
  const text = rightsAndReproduction ? `, “${rightsAndReproduction}”` : ", no rights text";
  return [
    `${source === "csv" ? "Catalogue file" : "API"} says${when}: ${says}${text} (`,
    h("code", {}, evidenceId),
    ")",
  ];
}
