import { z } from 'zod'

/** Network carriers that a gateway address is preferred for. */
export const Provider = z.enum(['CHINA_TELECOM', 'CHINA_UNICOM', 'CHINA_MOBILE', 'GLOBAL_BGP'])
export type Provider = z.infer<typeof Provider>

/** The transport that a gateway address speaks. */
export const Gateway = z.enum(['KCP', 'QUIC', 'WEB_TRANSPORT', 'WEBSOCKET', 'WEBSOCKET_SECURE'])
export type Gateway = z.infer<typeof Gateway>

/** How to connect to a sandbox's live view: addresses to try, and the token and room for the `hello` message. */
export const Connect = z
  .object({
    gatewayAddresses: z.array(
      z.object({
        address: z.string(),
        port: z.int(),
        name: z.string(),
        preferredProviders: z.array(Provider),
        gatewayType: Gateway,
        path: z.string().optional(),
      }),
    ),
    certificateHashBase64: z.string(),
    endUserToken: z.string(),
    roomId: z.string(),
  })
  .meta({ id: 'Connect' })
export type Connect = z.infer<typeof Connect>
