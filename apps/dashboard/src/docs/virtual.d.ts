/** Modules that scripts/reference/plugin.ts makes of the protocol when the pages are built. */
declare module 'virtual:operation-list' {
  export const operations: readonly import('./reference-data.ts').OperationEntry[]
}
declare module 'virtual:reference' {
  export const reference: import('./reference-data.ts').Reference
}
