import "./style.css";
import { showResults } from "../shared/page.js";
import { render } from "./render.js";

showResults("object-card", render);
