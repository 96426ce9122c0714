import { z } from 'zod'

export const port = z.coerce
  .number('must be a port from 0 to 65535')
  .int('must be a port from 0 to 65535')
  .min(0, 'must be a port from 0 to 65535')
  .max(65535, 'must be a port from 0 to 65535')

export const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })

export const atLeastOne = z.coerce
  .number('must be a whole number above 0')
  .int('must be a whole number above 0')
  .min(1, 'must be a whole number above 0')

/** The live view needs two more UDP ports after its first. */
export const lastUdpPort = 65_533
