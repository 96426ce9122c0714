import { createPrivateKey, type KeyObject } from 'node:crypto'
import { roleAllows } from '@sandglass/protocol'
import { SignJWT } from 'jose'
import type { Database } from '../db/database.ts'
import { derivedKey } from './derived-key.ts'
import type { OrganizationPrincipal } from './principal.ts'

/** What stands before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

const longestSeconds = 3600

/** Signs the short tokens by which people connect to the live view of a sandbox. */
export class EndUserTokens {
  readonly #key: KeyObject

  private constructor(key: KeyObject) {
    this.#key = key
  }

  static async open(db: Database): Promise<EndUserTokens> {
    const seed = await derivedKey(db, 'sandglass end-user tokens')
    const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
    return new EndUserTokens(key)
  }

  /** For one room, with no more rights than the caller has, and no longer than the sandbox lives. */
  async sign(member: OrganizationPrincipal, roomId: string, expiresAt: Date): Promise<string> {
    const canDrive = roleAllows(member.role, 'member')
    const scope = canDrive ? 'view input clipboard:read clipboard:write' : 'view'
    const end = Math.min(expiresAt.getTime() / 1000, Date.now() / 1000 + longestSeconds)
    return new SignJWT({ room: roomId, scope })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setAudience('sandglass-room')
      .setSubject(`${member.kind}:${member.id}`)
      .setIssuedAt()
      .setExpirationTime(Math.floor(end))
      .sign(this.#key)
  }
}
