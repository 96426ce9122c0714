import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { connectKcp } from '@sandglass/gateway/kcp'
import { connectQuic } from '@sandglass/gateway/quic'
import { dialWebSocket, LiveClient } from '@sandglass/gateway/testing'
import { freePort } from '@sandglass/machines/testing'
import { readCertificate } from '../../packages/gateway/src/certificate/certificate.ts'
import { issueCertificate } from '../../packages/gateway/src/certificate/issue.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { EventReader } from '../../packages/server/src/testing/event-reader.ts'
import { connectDetails } from '../../packages/server/src/testing/live-viewer.ts'
import { runIn, runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { freePorts } from './free-ports.ts'
import { example, ProxyProcess } from './proxy-process.ts'
import { unpackPrograms } from './unpacked-programs.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-proxies-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
await unpackPrograms(folder, ['caddy', 'nginx', 'libnginx-mod-stream'])

const { key, cert } = readCertificate(await issueCertificate(Date.now()), 0) ?? assert.fail()
const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
await Promise.all([writeFile(keyFile, key), writeFile(certFile, cert)])
setDefaultCACertificates([...getCACertificates(), cert])

/** The proxies are at the public address, one after the other, and the service is behind them. */
const publicPort = await freePort()
const publicUrl = `https://localhost:${publicPort}`
const behind = '127.0.0.3'
const port = await freePorts(['127.0.0.1', behind])
const { service } = await startMachineService({
  env: {
    SANDGLASS_PORT: String(port),
    // Its default follows the port; other tests have none.
    SANDGLASS_LIVE_UDP_PORT: '',
    SANDGLASS_LIVE_UDP_HOST: behind,
    SANDGLASS_PUBLIC_URL: publicUrl,
    SANDGLASS_TRUSTED_PROXIES: '127.0.0.1',
  },
})
/** Everything that is called here goes to the public URL, so a proxy has to run. */
let started: Promise<string> | undefined
const running = () => {
  started ??= runningSandbox(service)
  return started
}

const startCaddy = async () => {
  const text = await example('Caddyfile', {
    'sandglass.example.org {': `${publicUrl} {\n\tbind 127.0.0.1`,
    '# tls /etc/sandglass/cert.pem /etc/sandglass/key.pem': `tls ${certFile} ${keyFile}`,
    '127.0.0.1:4780': `127.0.0.1:${port}`,
    // The port of its own API, and that for redirects, may be taken on this host.
    'grace_period 10s': 'grace_period 1s\n\tadmin off\n\tauto_https disable_redirects',
  })
  const file = join(folder, 'Caddyfile')
  await writeFile(file, text)
  const command = [join(folder, 'usr/bin/caddy'), 'run', '--config', file, '--adapter', 'caddyfile']
  return ProxyProcess.start(publicPort, command, folder)
}

const startNginx = async () => {
  const udp = [0, 1, 2].flatMap(offset => [
    [`198.51.100.7:${4780 + offset} udp`, `127.0.0.1:${port + offset} udp`],
    [`proxy_pass 127.0.0.1:${4780 + offset};`, `proxy_pass ${behind}:${port + offset};`],
  ])
  const text = await example('nginx.conf', {
    '198.51.100.7:443': `127.0.0.1:${publicPort}`,
    ...Object.fromEntries(udp),
    'server 127.0.0.1:4780;': `server 127.0.0.1:${port};`,
    '/etc/sandglass': folder,
    'user www-data;': '',
    '/run/nginx.pid': join(folder, 'nginx.pid'),
    '/var/log/nginx': folder,
    'include /etc/nginx/modules-enabled/*.conf;': `load_module ${folder}/usr/lib/nginx/modules/ngx_stream_module.so;`,
    'access_log off;': `access_log off; ${temporaryFolders}`,
  })
  const file = join(folder, 'nginx.conf')
  await writeFile(file, text)
  const log = join(folder, 'start.log')
  const command = [join(folder, 'usr/sbin/nginx'), '-e', log, '-c', file, '-g', 'daemon off;']
  return ProxyProcess.start(publicPort, command, folder)
}

const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map(name => `${name}_temp_path ${folder}/${name};`)
  .join(' ')

/** Creates an API key from another address than that of the proxy, as a caller elsewhere does. */
async function createKey(name: string, localAddress: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const path = service.expand('~/api-keys')
  const headers = { 'x-api-key': service.service.credentials.apiKey, 'content-type': 'application/json' }
  const sent = request(publicUrl + path, {
    method: 'POST',
    host: '127.0.0.1',
    localAddress,
    headers,
    ca: cert,
  })
  sent.once('error', reject)
  sent.once('response', response => {
    response.resume()
    resolve(response.statusCode ?? 0)
  })
  sent.end(JSON.stringify({ name, role: 'viewer' }))
  return promise
}

/** Writes a file that is larger than what nginx accepts by default, and reads it again. */
async function writesFile(sandbox: string, name: string, size: number): Promise<void> {
  const url = `${publicUrl}${service.expand(sandbox)}/files/content?path=${name}`
  const headers = { 'x-api-key': service.service.credentials.apiKey }
  const body = Buffer.alloc(size, name)
  const written = await fetch(url, { method: 'PUT', headers: { ...headers, 'content-type': octets }, body })
  assert.equal(written.status, 200, await written.text())
  const { stdout } = await runIn(service, sandbox, { executable: 'wc', args: ['-c', name] })
  assert.equal(stdout.trim(), `${size} ${name}`)
  const read = await fetch(url, { headers })
  assert.ok(body.equals(Buffer.from(await read.arrayBuffer())))
}

const octets = 'application/octet-stream'

async function watches(stream: Duplex, name: string): Promise<void> {
  const sandbox = await running()
  const { roomId: room, endUserToken: token } = await connectDetails(service, sandbox)
  const viewer = new LiveClient(stream)
  viewer.hello({ room, token, name })
  await viewer.until(() => viewer.canvas)
  // The viewer before this one may not have gone yet.
  await viewer.until(() => viewer.lease && viewer.lease.holder.kind !== 'person')
  await viewer.takeControl()
  viewer.close()
}

for (const [name, start, address] of [
  ['Caddy', startCaddy, '127.0.0.4'],
  ['nginx', startNginx, '127.0.0.5'],
] as const)
  test(`${name} passes calls, streams, files and the live view on, with TLS and the address of the caller`, async () => {
    await using _proxy = await start()
    const sandbox = await running()
    const stream = await EventReader.open(`${publicUrl}${service.expand('~/events')}`, {
      key: service.service.credentials.apiKey,
    })
    assert.equal(await createKey(name, address), 200)
    // The event arrives while the stream is open, not at its end.
    await stream.until(({ type }) => type === 'key.created')
    stream.close()
    const { body: log } = await service.get('~/audit-log')
    const entries: { operation: string; address: string }[] = log.entries ?? log
    assert.ok(
      entries.some(entry => entry.operation === 'createApiKey' && entry.address === address),
      JSON.stringify(entries.slice(0, 3)),
    )
    await writesFile(sandbox, name, 3 * 2 ** 20)
    const { gatewayAddresses } = await connectDetails(service, sandbox)
    const webSocket = gatewayAddresses.find(({ gatewayType }) => gatewayType === 'WEBSOCKET_SECURE')
    assert.deepEqual([webSocket?.address, webSocket?.port], ['localhost', publicPort])
    await watches(await dialWebSocket(`wss://localhost:${publicPort}${webSocket?.path}`), name)
  })

test('viewers use QUIC and KCP through nginx, and directly where the service has opened them', async () => {
  await using _proxy = await startNginx()
  const { gatewayAddresses, certificateHashBase64 } = await connectDetails(service, await running())
  const ways = [
    ['QUIC', connectQuic],
    ['KCP', connectKcp],
  ] as const
  for (const [type, dial] of ways) {
    const { port } = gatewayAddresses.find(({ gatewayType }) => gatewayType === type) ?? assert.fail(type)
    for (const host of ['127.0.0.1', behind]) {
      const stream = await dial({ host, port, certificateHashBase64 })
      stream.on('error', () => {})
      await watches(stream, `${type} at ${host}`)
    }
  }
})
