import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'
import { answerError } from './errors.ts'

/** Serves the files of a folder. Whatever else is requested below the prefix does not exist. */
export function addAssets(
  app: FastifyInstance,
  {
    root,
    prefix,
    ...options
  }: Pick<FastifyStaticOptions, 'immutable' | 'maxAge' | 'preCompressed' | 'setHeaders'> & {
    readonly root: string
    readonly prefix: string
  },
): void {
  app.register(async scope => {
    // The library refuses folders, zero bytes and paths that lead out of the folder with errors of its own.
    scope.setErrorHandler((error, request, reply) => {
      const { statusCode = 500 } = error as { statusCode?: number }
      const [path] = request.url.split('?')
      const absent = new ApiError('route.NOT_FOUND', { message: `${request.method} ${path} does not exist.` })
      answerError(statusCode < 500 ? absent : error, request, reply)
    })
    await scope.register(fastifyStatic, {
      ...options,
      root,
      prefix,
      index: false,
      decorateReply: false,
      acceptRanges: false,
    })
  })
}
