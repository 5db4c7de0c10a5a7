/** What `search_collections` of stac-explorer answers. */

export interface Collection {
  id: string;
  /** The id where the catalogue gives no title. */
  title: string;
  /** May be empty; often Markdown. */
  description: string;
  thumbnail?: string | null;
  /** West, south, east, north in degrees; six numbers when heights are included. */
  bbox?: number[] | null;
}

export interface SearchCollectionsResult {
  message: string;
  collections?: Collection[] | null;
}
