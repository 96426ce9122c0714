import { RfbError } from '../rfb-error.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { decodeLatin1, encodeLatin1 } from '../text.ts'

export type Version = '003.003' | '003.007' | '003.008'

/** ProtocolVersion: RFC 6143, 7.1.1. */
export function* agreeOnVersion({ inbox, send }: Session): Step<Version> {
  const greeting = decodeLatin1(yield* inbox.take(12))
  const [, major, minor] = /^RFB (\d{3})\.(\d{3})\n$/.exec(greeting) ?? []
  if (major === undefined || minor === undefined)
    throw new RfbError('MALFORMED', `the server sent ${JSON.stringify(greeting)} instead of an RFB version`)
  const version = versionFor(Number(major), Number(minor))
  send(encodeLatin1(`RFB ${version}\n`))
  return version
}

/**
 * Servers that announce more than 3.8 also support 3.8; macOS announces 3.889. Other numbers below 3.7 belong to
 * servers with the handshake of 3.3.
 */
function versionFor(major: number, minor: number): Version {
  if (major > 3 || (major === 3 && minor >= 8)) return '003.008'
  if (major === 3 && minor === 7) return '003.007'
  if (major === 3 && minor >= 3) return '003.003'
  throw new RfbError('UNSUPPORTED', `the server offers RFB ${major}.${minor}; 3.3, 3.7 and 3.8 are supported`)
}
