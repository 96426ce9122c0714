import type pg from 'pg'

/** How to connect to the database, whether the server is embedded or external. */
export interface DatabaseAddress {
  readonly config: pg.ClientConfig
  /** The address without a password, for the log. */
  readonly shown: string
}
