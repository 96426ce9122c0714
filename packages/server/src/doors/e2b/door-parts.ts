import type { Logger } from 'pino'
import type { Authenticator } from '../../auth/authenticator.ts'
import type { Pool } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import type { SandboxParts } from '../../modules/sandboxes/parts.ts'
import type { SandboxRouter } from '../../modules/sandboxes/sandbox-router.ts'
import type { Shells } from '../../modules/shells/shells.ts'
import type { AccessTokens } from './access-tokens.ts'

/** The parts of the service that the door is built on. */
export interface DoorParts {
  readonly api: Api
  readonly router: SandboxRouter
  readonly sandboxes: SandboxParts
  readonly tokens: AccessTokens
  /** Returns the domain below which ports of sandboxes have host names. */
  readonly domain: () => string
  readonly shells: Shells
  readonly authenticator: Pick<Authenticator, 'identifyHeld'>
  readonly pool: Pool
  readonly log: Logger
}
