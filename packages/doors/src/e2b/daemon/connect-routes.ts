import { createConnectRouter } from '@connectrpc/connect'
import type { UniversalHandler } from '@connectrpc/connect/protocol'
import { Filesystem } from '../proto/filesystem_pb.js'
import { Process } from '../proto/process_pb.js'
import { convertErrors } from './connect-error.ts'
import { filesystemService } from './filesystem-service.ts'
import { processService } from './process-service.ts'

/** The largest message that a client may send. Files go another way, so it is input for programs. */
const maxMessageBytes = 4 * 1024 * 1024

/** Returns the methods of both services, of which each has its own path. */
export function connectMethods(options: {
  readonly closing: AbortSignal
  /** Makes errors of the API of those of machines. */
  readonly known: (error: unknown) => unknown
}): readonly UniversalHandler[] {
  const router = createConnectRouter({
    grpc: false,
    grpcWeb: false,
    readMaxBytes: maxMessageBytes,
    shutdownSignal: options.closing,
    interceptors: [convertErrors(options.known)],
  })
  return router.service(Process, processService).service(Filesystem, filesystemService).handlers
}
