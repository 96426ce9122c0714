import type pg from 'pg'

/** How the service connects, whether the server is embedded or somebody's own. */
export interface DatabaseAddress {
  readonly config: pg.ClientConfig
  /** Without a password, for the log. */
  readonly shown: string
}
