// Package katalog is what a reconciler answers to those who ask it how it is doing: the JSON types, how they follow from
// what the process knows, and the routes.
//
//	/katalog                      all registrations; 503 when one of them is degraded or missing
//	/katalog/raw, …/enriched      all of them as they are stored, and with what follows from that
//	/katalog/{api}                one registration, how it is worked on and by what
//	/katalog/{api}/health         its health; 503 while it is not started, degraded or missing
//	/katalog/{api}/raw, …/enriched
//	/katalog/{api}/cr             its subscriptions
//	/katalog/{api}/cr/{ns}        one of them, with its last run and that run's steps
//	/katalog/{api}/cr/{ns}/events what has happened to it
//
// Here a registration is called a CRD, a subscription a CR and the reconciler a kordinator's process, as by the tools that
// know these answers. The package knows nothing of how a process comes to know what it tells: see [Source]. So a client
// may use its types alone.
package katalog
