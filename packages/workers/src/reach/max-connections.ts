/**
 * How many connections to machines elsewhere a worker has or asks for at a time. A phone behind an adb server takes one per
 * program, file and port.
 */
export const maxConnections = 256
