/** Where the machine of a sandbox is, as seen from this process. */
export type Location =
  /** This process runs it. */
  | { readonly at: 'here' }
  /** Another process runs it, so calls and sockets are forwarded there. */
  | { readonly at: 'node'; readonly nodeId: string }
  /** No process runs it, so the call fails; `reason` is a sentence for the caller. */
  | { readonly at: 'gone'; readonly reason: string }

export const here: Location = { at: 'here' }
