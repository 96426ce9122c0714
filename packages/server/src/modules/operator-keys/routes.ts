import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import { replaceSecret } from '../../auth/replaced-secrets.ts'
import { newSecret } from '../../auth/secret.ts'
import type { Api } from '../../http/api.ts'
import { answerAfterCredential } from '../../http/end-with-credential.ts'
import type { Rotations } from './rotations.ts'
import { lockOperatorKey } from './store.ts'

export function serveOperatorKeys(api: Api, rotations: Rotations): void {
  api.serve(protocol.rotateOperatorKey, async ({ principal, body: { graceSeconds }, reply, change }) => {
    answerAfterCredential(reply.raw)
    const { id } = principal
    const secret = newSecret('operator')
    return rotations.run('operatorKey', offer =>
      change(async tx => {
        const key = await lockOperatorKey(tx, id)
        if (!key) throw new ApiError('auth.INVALID')
        const endsAt = await replaceSecret(tx, {
          kind: 'operator',
          id,
          oldHash: key.hash,
          secret,
          graceSeconds,
        })
        const isInFile = await offer(key.hash, secret.text)
        const answer: protocol.RotatedOperatorKey = {
          id,
          prefix: secret.prefix,
          createdAt: key.created_at.toISOString(),
          oldKeyEndsAt: endsAt.toISOString(),
          credentialsFile: isInFile ? 'updated' : 'unchanged',
          operatorKey: secret.text,
        }
        return { answer, target: id }
      }),
    )
  })
}
