/** What `show_map` of stac-explorer answers. */
import type { Collection } from "../collection-picker/types.js";

export interface ShowMapResult {
  message: string;
  collection?: Collection | null;
  /** Address of map tiles with the placeholders `{z}`, `{x}` and `{y}`; absent when there is no data layer. */
  tile_url?: string | null;
}
