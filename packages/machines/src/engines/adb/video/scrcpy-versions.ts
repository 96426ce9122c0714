/** The newest version that `serverStart` knows. */
export const newestVersion = '3.3.3'
/** The supported versions, as text for operators. */
export const knownVersions = `1.23 to ${newestVersion}`
