/// Manifests as the API server parses them, and the services in their containers.
@NullMarked
package dev.pvcpopulators.kubernetes.manifest;

import org.jspecify.annotations.NullMarked;
