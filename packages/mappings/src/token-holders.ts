/** The permission of a request whose token belongs to a valid credential. */
export interface Permit {
  /** Registers a function that ends what the request opened, for when the credential ends. Returns one that removes it. */
  enter(end: () => void): () => void
}

/** Knows the credentials that tokens were given to, each identified by a text that only the service understands. */
export interface TokenHolders {
  /** Throws `mapping.UNAUTHORIZED` if the credential has ended. Returns without a promise if that is known already. */
  permit(holder: string): Permit | Promise<Permit>
}
