/** What `collection_objects` of met answers. `null` means that nothing is recorded or that the sources disagree. */

export interface ArtistMention {
  name: string;
  role: string | null;
  /** The name with what the catalogue puts before and after it, such as "made in London". */
  attribution: string | null;
}

export interface RightsEvidence {
  source: "csv" | "api";
  isPublicDomain: boolean | null;
  rightsAndReproduction: string | null;
  evidenceId: string;
  /** When the API answered; `null` for the CSV. */
  retrievedAt: string | null;
}

export interface ImageEvidence {
  source: "api";
  primaryImage: string | null;
  primaryImageSmall: string | null;
  additionalImageCount: number;
  evidenceId: string;
  retrievedAt: string | null;
}

export interface CollectionObject {
  objectId: number;
  title: string | null;
  artistDisplayName: string | null;
  objectDate: string | null;
  objectURL: string | null;
  primaryImageSmall: string | null;
  primaryImage: string | null;
  isPublicDomain: boolean | null;
  rightsAndReproduction: string | null;
  source: {
    csv: { evidenceId: string; recordNumber: number } | null;
    api: { evidenceId: string; retrievedAt: string } | null;
    vector: { evidenceId: string } | null;
  };
  fetchedAt: string | null;
  evidenceIds: string[];
  qualityFlags: string[];
  artistMentions: ArtistMention[];
  /** Column name to text exactly as in the CSV; empty text for an empty cell. */
  originalFields: Record<string, string> | null;
  rightsEvidence: RightsEvidence[];
  imageEvidence: ImageEvidence | null;
}

export interface CollectionObjectsResult {
  snapshot: string;
  objects: CollectionObject[];
  missingObjectIds: number[];
}
