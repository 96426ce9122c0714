/** Members are not given up by the others on a host that does other work too. */
export const patient = { offlineThreshold: 120 }
