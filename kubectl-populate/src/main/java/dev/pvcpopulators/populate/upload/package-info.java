/// The upload of an image: the file, the connection to the pod, and the protocol of http-upload.
@NullMarked
package dev.pvcpopulators.populate.upload;

import org.jspecify.annotations.NullMarked;
