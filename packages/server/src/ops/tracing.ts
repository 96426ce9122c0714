import type { FastifyInstance } from 'fastify'

/**
 * Sends traces to the endpoint in OpenTelemetry's environment variables. Without them, its packages are not loaded.
 */
export interface Tracing {
  instrument(app: FastifyInstance): Promise<void>
  shutdown(): Promise<void>
}

export async function openTracing(
  env: Readonly<Record<string, string | undefined>>,
  version: string,
): Promise<Tracing | undefined> {
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT']
  if (!endpoint || env['OTEL_SDK_DISABLED'] === 'true') return undefined
  const [{ FastifyOtelInstrumentation }, { OTLPTraceExporter }, { resourceFromAttributes }, sdk] =
    await Promise.all([
      import('@fastify/otel'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-node'),
    ])
  const provider = new sdk.NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': env['OTEL_SERVICE_NAME'] ?? 'sandglass',
      'service.version': version,
    }),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  })
  provider.register()
  // The paths of screenshots and of browsers grant access, and a span contains the path.
  const instrumentation = new FastifyOtelInstrumentation({
    ignorePaths: ({ url }) => /^\/(screenshots|cdp)\//.test(url),
  })
  instrumentation.setTracerProvider(provider)
  return {
    instrument: async app => {
      await app.register(instrumentation.plugin())
    },
    shutdown: () => provider.shutdown(),
  }
}
