import "./style.css";
import { showResults } from "../shared/page.js";
import { render } from "./render.js";
import { fillTitles } from "./titles.js";
import type { RankResult, SelectResult } from "./types.js";

showResults<SelectResult | RankResult>("result-grid", (data) => {
  const { content, places } = render(data);
  // Names are an addition: without them the ids stand.
  fillTitles(places).catch((cause: unknown) => console.info("the objects could not be named", cause));
  return content;
});
