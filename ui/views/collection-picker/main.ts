import "./style.css";
import { showResults } from "../shared/page.js";
import { render } from "./render.js";

showResults("collection-picker", render);
