import Fastify from 'fastify'

/** The floor for an HTTP service on Fastify: it returns constants of the same size in turn, and does nothing else. */
const app = Fastify()
const constants: Record<string, readonly string[]> = JSON.parse(process.env['CONSTANTS'] ?? '{}')
for (const [path, texts] of Object.entries(constants)) {
  const values: unknown[] = texts.map(text => JSON.parse(text))
  let turn = 0
  app.route({ method: ['GET', 'POST'], url: path, handler: async () => values[turn++ % values.length] })
}
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
process.on('SIGTERM', () => app.close())
