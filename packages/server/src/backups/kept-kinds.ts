/** What a backup can contain besides the database and keys. */
export const keptKinds = ['images', 'snapshots', 'volumes'] as const
export type KeptWish = (typeof keptKinds)[number]
