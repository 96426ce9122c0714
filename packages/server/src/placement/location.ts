/** Where the machine of a sandbox is, as seen from this process. */
export type Location =
  /** This process has it. */
  | { readonly at: 'here' }
  /** Another process has it, to which calls and sockets are forwarded. */
  | { readonly at: 'node'; readonly nodeId: string }
  /** Nobody has it, so there is nobody to ask; `reason` is a sentence for the caller. */
  | { readonly at: 'gone'; readonly reason: string }

export const here: Location = { at: 'here' }
