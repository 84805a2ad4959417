/// Builds container images of the services with Jib core, from a base image and a packaged service.
@NullMarked
package dev.pvcpopulators.images;

import org.jspecify.annotations.NullMarked;
