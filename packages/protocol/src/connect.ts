import { z } from 'zod'

export const Provider = z.enum(['CHINA_TELECOM', 'CHINA_UNICOM', 'CHINA_MOBILE', 'GLOBAL_BGP'])
export type Provider = z.infer<typeof Provider>

export const Gateway = z.enum(['KCP', 'QUIC', 'WEB_TRANSPORT', 'WEBSOCKET', 'WEBSOCKET_SECURE'])
export type Gateway = z.infer<typeof Gateway>

/** How to reach a sandbox's live view. */
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
