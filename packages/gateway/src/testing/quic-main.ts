/**
 * A process for tests to kill: it listens, prints the process id of its relay and keeps running. Its argument is a
 * folder.
 */
import { join } from 'node:path'
import { Certificates } from '../certificate/certificates.ts'
import { QuicListener } from '../transports/quic/quic-listener.ts'

const data = process.argv[2] ?? ''
const started = await QuicListener.start({
  certificates: await Certificates.open({ folder: join(data, 'certificates') }),
  folder: join(data, 'quic'),
  host: '127.0.0.1',
  ports: [0, 0],
  welcome: ({ stream }) => stream.destroy(),
  reports: { warn: console.error },
})
console.log(started.listener ? started.listener.pids.join() : started.absent)
