/// Container images of the services, made by Jib core out of a base and a packaged service.
@NullMarked
package dev.pvcpopulators.images;

import org.jspecify.annotations.NullMarked;
