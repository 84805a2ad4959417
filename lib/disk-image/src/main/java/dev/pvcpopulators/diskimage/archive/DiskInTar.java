package dev.pvcpopulators.diskimage.archive;
import java.io.*;
public final class DiskInTar { public static DiskInTar open(InputStream in) throws IOException { throw new IOException("no"); } public InputStream stream() { throw new IllegalStateException(); } public long length() { return 0; } }
