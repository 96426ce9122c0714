/** Where a cluster answers, and what identifies both sides. */
export type IncusAddress =
  | { readonly socket: string }
  | {
      /** Any member answers for the cluster. They are tried in turn, the last that answered first. */
      readonly urls: readonly string[]
      /** The client's certificate and key, in PEM. */
      readonly certificate: string
      readonly key: string
      /** In PEM. It is pinned, because clusters sign their own. */
      readonly serverCertificate: string
    }

export interface CallOptions {
  readonly deadlineMs?: number
  readonly signal?: AbortSignal | undefined
  readonly project?: string
}
