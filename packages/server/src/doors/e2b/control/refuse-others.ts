import { controlPrefix } from '@sandglass/doors/e2b'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'
import { passBodiesThrough } from '../../../http/body.ts'

/** What this service does not have, or has in another way. */
const refused = [
  {
    paths: ['/volumes', '/volumes/*', '/volumecontent/*'],
    message:
      "Volumes of E2B's client are not supported here, because ours have a size and no content without a sandbox. Create one with our own API (docs/volumes.md), and name it in volumeMounts.",
  },
  {
    paths: ['/secrets', '/secrets/*'],
    message: "Secrets of E2B's client are not supported here. Give the sandbox an environment variable.",
  },
]

/** Refuses what clients could ask for otherwise. A 404 would mean to them that there is just no such volume or secret. */
export function refuseOthers(scope: FastifyInstance): void {
  scope.register(async others => {
    // They may send the content of a file.
    passBodiesThrough(others)
    for (const { paths, message } of refused)
      for (const path of paths)
        others.all(`${controlPrefix}${path}`, { config: { access: { to: 'anyone' } } }, async () => {
          throw new ApiError('request.INVALID', { message })
        })
  })
}
