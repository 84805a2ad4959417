/// Manifests as the API server reads them, and the services that their containers run.
@NullMarked
package dev.pvcpopulators.kubernetes.manifest;

import org.jspecify.annotations.NullMarked;
