import Fastify from 'fastify'

/** The floor for an HTTP service on Fastify: constants of the same size, with nothing around them. */
const app = Fastify()
const constants: Record<string, string> = JSON.parse(process.env['CONSTANTS'] ?? '{}')
for (const [path, text] of Object.entries(constants)) {
  const value = JSON.parse(text)
  app.route({ method: ['GET', 'POST'], url: path, handler: async () => value })
}
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
process.on('SIGTERM', () => app.close())
