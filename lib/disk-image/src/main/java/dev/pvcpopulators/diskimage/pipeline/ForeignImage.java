package dev.pvcpopulators.diskimage.pipeline;
import dev.pvcpopulators.diskimage.*;
final class ForeignImage { static long convert(java.io.InputStream i, ImageFormat f, Object d, ImportListener l) throws java.io.IOException { throw new java.io.IOException("no"); } }
