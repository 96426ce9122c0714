import type { Logger } from 'pino'
import type { Authenticator } from '../../auth/authenticator.ts'
import type { OpenByCredential } from '../../auth/open-by-credential.ts'
import type { Pool } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import type { Looks } from '../../modules/actions/looks.ts'
import type { ImageBuilds } from '../../modules/images/builds/image-builds.ts'
import type { MappingService } from '../../modules/mappings/mapping-service.ts'
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
  /** The ports of sandboxes, and the domain below which they have host names. */
  readonly mappings: Pick<MappingService, 'names' | 'gateway' | 'findPort'>
  readonly shells: Shells
  readonly looks: Looks
  readonly imageBuilds: ImageBuilds
  readonly authenticator: Pick<Authenticator, 'identifyHeld'>
  readonly open: OpenByCredential
  readonly pool: Pool
  readonly log: Logger
}
