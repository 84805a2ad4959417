/// TLS: the certificate and its key, the reload of both, and BoringSSL if the platform has it.
@NullMarked
package dev.pvcpopulators.kit.tls;

import org.jspecify.annotations.NullMarked;
