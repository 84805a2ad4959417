/// Manifests as the API server parses them, and the services of their containers.
@NullMarked
package dev.pvcpopulators.kubernetes.manifest;

import org.jspecify.annotations.NullMarked;
