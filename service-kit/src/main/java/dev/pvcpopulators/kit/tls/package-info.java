/// TLS: the certificate with its key, its reload, and BoringSSL where the platform has it.
@NullMarked
package dev.pvcpopulators.kit.tls;

import org.jspecify.annotations.NullMarked;
